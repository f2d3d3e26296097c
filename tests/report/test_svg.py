from evenhand.report.svg import clean_svg

SOURCE = """<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9">
<metadata>x</metadata><script>alert(1)</script><style>*{}</style><foreignObject/><image href="https://e.example/a.png"/>
<g id="a" onclick="alert(1)" style="fill: #112233; background: url(https://e.example)">
<use xlink:href="#a"/><use href="https://e.example/#b"/><path d="M 0 0" clip-path="url(#a)" style="stroke: #445566"/>
<text style="font: bold 7.5px 'DejaVu Sans'; text-anchor: end">a &lt;b&gt;</text></g></svg>"""


def cleaned() -> str:
    return clean_svg(SOURCE, prefix="p", title="<t>", description="d & e", classes={"#112233": "ink"})


def test_only_listed_elements_and_attributes_are_kept():
    svg = cleaned()
    for gone in ("metadata", "script", "<style", "style=", "foreignObject", "image", "onclick", "e.example", "alert"):
        assert gone not in svg


def test_ids_and_references_get_the_prefix():
    svg = cleaned()
    assert 'id="p-a"' in svg
    assert 'href="#p-a"' in svg
    assert 'clip-path="url(#p-a)"' in svg


def test_style_becomes_attributes_and_known_colours_classes():
    svg = cleaned()
    assert 'fill="#112233" class="f-ink"' in svg
    assert 'stroke="#445566"' in svg
    assert 'font-size="7.5px" font-weight="bold" text-anchor="end"' in svg


def test_texts_are_escaped():
    svg = cleaned()
    assert "a &lt;b&gt;" in svg
    assert "&lt;t&gt;" in svg
    assert "d &amp; e" in svg
