def test_a_table_is_found_by_its_id(study_view):
    assert study_view.table("leaderboard").title == "Rank of each author"
    assert study_view.table("posters") is None
