"""Keeps secrets out of cassettes: finds them in any coding, and replaces them for good."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.cassettes.redaction.audit import AuditFinding as AuditFinding
    from agentsim.cassettes.redaction.audit import audit_cassette as audit_cassette
    from agentsim.cassettes.redaction.redactor import RedactionRules as RedactionRules
    from agentsim.cassettes.redaction.redactor import Redactor as Redactor
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "AuditFinding": "audit",
            "RedactionRules": "redactor",
            "Redactor": "redactor",
            "audit_cassette": "audit",
        },
    )
