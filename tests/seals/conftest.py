"""The sample project is run by tests, in processes of its own."""

collect_ignore = ["sample"]
