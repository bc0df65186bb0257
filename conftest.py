"""Settings that all tests share."""

from hypothesis import settings

# A gate that fails by chance teaches nobody: the same examples on every machine, and no
# deadline, since the machine may be busy. To hunt: `pytest --hypothesis-profile=wide`.
settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("wide", deadline=None, max_examples=2_000, print_blob=True)
settings.load_profile("ci")
