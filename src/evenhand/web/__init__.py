"""``evenhand serve``: a page on loopback over finished runs, to look at presentations and to label pairs blind."""
