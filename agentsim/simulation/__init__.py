"""Joins the halves: a scenario, one run, its exploration and its shrinking."""
