"""Tools and parts of a world that users write: by one function, and one decorator."""
