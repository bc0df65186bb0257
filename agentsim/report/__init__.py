"""Tells what a run did and why it failed, from the Trace alone."""
