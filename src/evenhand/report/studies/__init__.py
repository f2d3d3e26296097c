"""Composers: from what an analysis found to a study that every report can print, one a kind."""
