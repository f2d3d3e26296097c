"""A judge beside people: agreement, agreement over time, and win rates from few human and many judge labels. Pure."""
