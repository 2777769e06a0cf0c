"""An SVG that could run or load anything is refused; one that only draws is taken."""

import time
from contextlib import suppress

import pytest

from builtin_plugins.branding.raster import NotALogo
from builtin_plugins.branding.svg import check_svg
from builtin_plugins.branding.upload import read_logo
from guildhall_sdk import InvalidRequest

SVG = 'xmlns="http://www.w3.org/2000/svg"'
XLINK = 'xmlns:xlink="http://www.w3.org/1999/xlink"'
HTML = "http://www.w3.org/1999/xhtml"


BLURRED = '<filter id="f"><feGaussianBlur stdDeviation="9999"/></filter>'


def whole(inside, attributes=""):
    return f"<svg {SVG} {XLINK} {attributes}>{inside}</svg>"


def bomb(levels, uses):
    """Each group draws the one before so many times."""
    groups = "".join(
        f'<g id="g{level}">' + f'<use href="#g{level - 1}"/>' * uses + "</g>" for level in range(1, levels)
    )
    return whole(f'<g id="g0"><rect/></g>{groups}<use href="#g{levels - 1}"/>')


def bomb_by_class(levels, rects):
    """The same by fills that a style sheet gives."""
    rules = "".join(f".c{level}{{fill:url(#p{level})}}" for level in range(levels))
    patterns = "".join(
        f'<pattern id="p{level}">' + f'<rect class="c{level + 1}"/>' * rects + "</pattern>"
        for level in range(levels)
    )
    return whole(f'<style>{rules}</style>{patterns}<rect class="c0"/>')


HOSTILE = {
    "script": whole("<script>alert(1)</script>"),
    "script with a source": whole('<script href="https://evil.example/x.js"/>'),
    "script by a prefix": f'<svg {SVG} xmlns:s="http://www.w3.org/2000/svg"><s:script>alert(1)</s:script></svg>',
    "script in html": whole(f'<x:script xmlns:x="{HTML}">alert(1)</x:script>'),
    "script in html by default": whole(f'<script xmlns="{HTML}">alert(1)</script>'),
    "script in metadata": whole(f'<metadata><script xmlns="{HTML}">alert(1)</script></metadata>'),
    "script in capitals": whole("<SCRIPT>alert(1)</SCRIPT>"),
    "script in no namespace": whole('<script xmlns="">alert(1)</script>'),
    "script deep down": whole("<g>" * 30 + "<script/>" + "</g>" * 30),
    "onload": whole("", 'onload="alert(1)"'),
    "onload in capitals": whole("", 'ONLOAD="location=name"'),
    "onclick on a shape": whole('<rect onclick="location=name"/>'),
    "an event handler of tomorrow": whole('<rect onwhatever="alert(1)"/>'),
    "an event handler spelled by entities": whole('<rect onclick="&#97;lert(1)"/>'),
    "an event handler in an editor's element": whole(
        '<i:x xmlns:i="http://www.inkscape.org/namespaces/inkscape" onload="alert(1)"/>'
    ),
    "foreignObject": whole("<foreignObject/>"),
    "foreignObject with html": whole(f'<foreignObject><body xmlns="{HTML}"/></foreignObject>'),
    "iframe": whole(f'<iframe xmlns="{HTML}" src="javascript:alert(1)"/>'),
    "html image": whole(f'<img xmlns="{HTML}" src="x" onerror="alert(1)"/>'),
    "mathml": whole('<math xmlns="http://www.w3.org/1998/Math/MathML"/>'),
    "xslt": whole('<s:stylesheet xmlns:s="http://www.w3.org/1999/XSL/Transform"/>'),
    "xml events": whole('<e:listener xmlns:e="http://www.w3.org/2001/xml-events"/>'),
    "xml events as attributes": whole('<rect e:event="load" xmlns:e="http://www.w3.org/2001/xml-events"/>'),
    "a link": whole('<a href="#x"><rect/></a>'),
    "a link to javascript": whole('<a xlink:href="javascript:alert(1)"><rect/></a>'),
    "an animation": whole('<animate attributeName="href" to="javascript:alert(1)"/>'),
    "a set": whole('<set attributeName="onmouseover" to="alert(1)"/>'),
    "an animated motion": whole("<animateMotion/>"),
    "a handler": whole("<handler>alert(1)</handler>"),
    "an image elsewhere": whole('<image href="https://evil.example/pixel.png"/>'),
    "an image in data": whole('<image href="data:image/svg+xml,&lt;svg/&gt;"/>'),
    "a filter's image": whole('<filter><feImage href="https://evil.example/"/></filter>'),
    "audio": whole("<audio/>"),
    "embed": whole(f'<embed xmlns="{HTML}" src="x"/>'),
    "use of another file": whole('<use href="https://evil.example/x.svg#y"/>'),
    "use of a relative file": whole('<use xlink:href="x.svg#y"/>'),
    "use of data": whole('<use href="data:image/svg+xml;base64,PHN2Zy8+#x"/>'),
    "use of nothing": whole('<use href=""/>'),
    "use with a space before": whole('<use href=" https://evil.example/#x"/>'),
    "use by percent": whole('<use href="#%61"/>'),
    "gradient elsewhere": whole('<linearGradient xlink:href="//evil.example/#x"/>'),
    "text path elsewhere": whole('<text><textPath href="//evil.example/#x"/></text>'),
    "fill elsewhere": whole('<rect fill="url(https://evil.example/#x)"/>'),
    "fill elsewhere in capitals": whole('<rect fill="URL(//evil.example/#x)"/>'),
    "fill elsewhere in quotes": whole("<rect fill=\"url('//evil.example/#x')\"/>"),
    "fill elsewhere on lines": whole('<rect fill="url(&#10;//evil.example/#x)"/>'),
    "fill elsewhere by escapes": whole('<rect fill="\\75rl(//evil.example/#x)"/>'),
    "fill here and elsewhere": whole('<rect fill="url(#a) url(//evil.example)"/>'),
    "filter elsewhere": whole('<rect filter="url(//evil.example/#x)"/>'),
    "cursor elsewhere": whole('<rect cursor="url(//evil.example/x.cur), auto"/>'),
    "cursor by image-set": whole("<rect cursor=\"image-set('//evil.example/x' 1x), auto\"/>"),
    "mask by image-set": whole("<rect mask=\"-webkit-image-set('//evil.example/x' 1x)\"/>"),
    "style attribute elsewhere": whole('<rect style="fill:url(//evil.example/#x)"/>'),
    "style attribute with an expression": whole('<rect style="width:expression(alert(1))"/>'),
    "style attribute by escapes": whole('<rect style="fill:u\\72l(//evil.example)"/>'),
    "style attribute cut by a comment": whole('<rect style="fill:u/**/rl(//evil.example)"/>'),
    "an escape that hides nothing yet": whole('<rect style="fill:\\72 ed"/>'),
    "style import": whole("<style>@import '//evil.example/x.css';</style>"),
    "style import by url": whole("<style>@import url(//evil.example/x.css);</style>"),
    "style import in capitals": whole("<style>@IMPORT '//evil.example/x.css';</style>"),
    "style import in cdata": whole("<style><![CDATA[@import '//evil.example/x.css';]]></style>"),
    "style import in pieces": whole("<style>@imp<!-- -->ort '//evil.example/x.css';</style>"),
    "style import by escapes": whole("<style>@\\69mport '//evil.example/x.css';</style>"),
    "style import by entities": whole("<style>&#64;import '//evil.example/x.css';</style>"),
    "style import behind an element": whole("<style><g/>@import '//evil.example/x.css';</style>"),
    "style import before an element": whole("<style>@import '//evil.example/x.css';<g/></style>"),
    "style import within an element": whole("<style><title>@import '//evil.example/x.css';</title></style>"),
    "style import around elements": whole("<style>@imp<g/>ort '//evil.example/x.css'<g/>;</style>"),
    "style import in a style in a style": whole("<style><style/>@import '//evil.example/x.css';</style>"),
    "style import behind an editor's element": whole(
        '<style><i:x xmlns:i="http://www.inkscape.org/namespaces/inkscape"/>'
        "@import '//evil.example/x.css';</style>"
    ),
    "style import in metadata": whole("<metadata><style>@import '//evil.example/x.css';</style></metadata>"),
    "style import by a prefix": (
        f'<svg {SVG} xmlns:s="http://www.w3.org/2000/svg">'
        "<s:style><s:g/>@import '//evil.example/x.css';</s:style></svg>"
    ),
    "style import behind a section": whole("<style>a{}<![CDATA[]]>@import '//evil.example/x.css';</style>"),
    "style background behind an element": whole("<style><g/>svg{background:url(//evil.example/x)}</style>"),
    "an element in a style": whole("<style>.a{}<g/></style>"),
    "fill elsewhere by tabs": whole('<rect fill="u&#9;rl(//evil.example/#x)"/><rect fill="url(&#9;//e)"/>'),
    "use with a control character": whole('<use href="&#9;#x"/>'),
    "use with a line behind": whole('<use href="#x&#10;"/>'),
    "xml:base by another prefix": whole(
        '<g b:base="https://evil.example/" xmlns:b="http://www.w3.org/XML/1998/namespace"/>'
    ),
    "a nested svg with a script": whole("<svg><svg><script/></svg></svg>"),
    "a set of a reference": whole('<use href="#a"><set attributeName="href" to="//evil.example/#x"/></use>'),
    "font face": whole("<style>@font-face{src:url(//evil.example/f.woff)}</style>"),
    "style background": whole("<style>svg{background:url(//evil.example/x)}</style>"),
    "style with image-set": whole("<style>svg{background:image-set('//evil.example/x' 1x)}</style>"),
    "style with src": whole("<style>svg{background:src('//evil.example/x')}</style>"),
    "style that refers by type": whole("<style>rect{fill:url(#a)}</style>"),
    "style that refers to what is inside": whole("<style>.a rect{fill:url(#a)}</style>"),
    "style that refers in a comment": whole("<style>/* url(#a) */</style>"),
    "style that refers behind a text": whole("<style>.a{content:'/*'}.b{fill:url(#a)}</style>"),
    "style that refers by nesting": whole("<style>.a{rect{fill:url(#a)}}</style>"),
    "many blurs": whole(BLURRED + '<rect filter="url(#f)" width="9999" height="9999"/>' * 12),
    "many blurs of one group": whole(
        BLURRED + '<g id="b"><rect filter="url(#f)"/></g>' + '<use href="#b"/>' * 12
    ),
    "many blurs by styles": whole('<rect style="filter:blur(9px)"/>' * 13),
    "many shadows by a class": whole(
        "<style>.a{filter:Drop-Shadow(0 0 99px)}</style>" + '<rect class="a"/>' * 13
    ),
    "blurs by type": whole("<style>rect{filter:blur(9px)}</style>"),
    "xml:base": whole('<g xml:base="https://evil.example/"/>'),
    "xml-stylesheet": f'<?xml-stylesheet href="//evil.example/x.css"?><svg {SVG}/>',
    "a processing instruction": whole('<?php system("id") ?>'),
    "a doctype": f"<!DOCTYPE svg><svg {SVG}/>",
    "a doctype elsewhere": f'<!DOCTYPE svg PUBLIC "x" "https://evil.example/x.dtd"><svg {SVG}/>',
    "a file by an entity": f'<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg {SVG}>&x;</svg>',
    "a billion laughs": '<!DOCTYPE svg [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>' + whole("&b;"),
    "a parameter entity": f'<!DOCTYPE svg [<!ENTITY % x SYSTEM "//evil.example">%x;]><svg {SVG}/>',
    "attributes by default": f'<!DOCTYPE svg [<!ATTLIST svg onload CDATA "alert(1)">]><svg {SVG}/>',
    "an undeclared entity": whole("&nbsp;"),
    "html first": f"<html>{whole('')}</html>",
    "html behind": whole("") + "<script>alert(1)</script>",
    "no namespace": "<svg/>",
    "another root": f"<g {SVG}/>",
    "two roots": f"<svg {SVG}/><svg {SVG}/>",
    "not closed": f"<svg {SVG}>",
    "an attribute twice": f'<svg {SVG} id="a" id="b"/>',
    "too many attributes": whole("<g " + " ".join(f'a{n}=""' for n in range(1001)) + "/>"),
    "too many namespaces": whole("<g " + " ".join(f'xmlns:a{n}="u"' for n in range(1001)) + "/>"),
    "too deep": whole("<g>" * 100 + "</g>" * 100),
    "very deep": whole("<g>" * 60_000),
    "too many": whole("<g/>" * 20_000),
    "a use of itself": whole('<g id="a"><use href="#a"/></g>'),
    "uses in a circle": whole('<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g>'),
    "a bomb of uses": bomb(9, 10),
    "a bomb of uses, wide": bomb(3, 250),
    "a bomb of classes": bomb_by_class(9, 10),
    "a bomb behind a small twin": whole(
        '<g id="a"><g id="a"/>' + "<rect/>" * 300 + "</g>" + '<use href="#a"/>' * 300
    ),
    "a text": "alert(1)",
    "nothing in brackets": "<",
}

HARMLESS = {
    "empty": whole(""),
    "a declaration": f'<?xml version="1.0" encoding="UTF-8"?>\n<!-- by hand -->\n<svg {SVG}/>',
    "a byte order mark": "\ufeff" + whole(""),
    "shapes": whole('<path d="M0 0L9 9Z"/><circle r="3"/><text x="1">Acme (née Wile)</text>'),
    "a gradient": whole(
        '<defs><linearGradient id="a"><stop offset="0" stop-color="rgb(1,2,3)"/></linearGradient>'
        '<linearGradient id="b" xlink:href="#a"/></defs><rect fill="url(#b)" transform="rotate(9)"/>'
    ),
    "a use": whole('<symbol id="s"><rect/></symbol><use href="#s"/><use xlink:href="#s" x="9"/>'),
    "classes": whole(
        "<style>.cls-1{fill:none}.cls-1, .cls-2 {clip-path: url('#clip');}/* done */"
        "@media (prefers-color-scheme: dark){.cls-3{fill:#fff}}</style>"
        '<clipPath id="clip"><rect class="cls-3"/></clipPath><g class="cls-1 cls-2"/>'
    ),
    "a filter": whole(
        '<filter id="f"><feGaussianBlur stdDeviation="2"/></filter><g style="filter:url(#f);opacity:.5"/>'
    ),
    "a few shadows": whole(
        '<filter id="f"><feGaussianBlur/><feOffset/><feMerge/></filter>'
        + '<g filter="url(#f)"/>' * 5
        + '<g style="filter:drop-shadow(1px 1px 1px)"/>'
    ),
    "what Inkscape leaves": whole(
        '<sodipodi:namedview inkscape:zoom="1"/><metadata><rdf:RDF><cc:Work rdf:about="">'
        '<dc:type rdf:resource="http://purl.org/dc/dcmitype/StillImage"/></cc:Work></rdf:RDF></metadata>'
        '<g inkscape:label="Layer (1)" inkscape:export-filename="C:\\logo.png" xml:space="preserve"/>',
        'xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" '
        'xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd" '
        'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:cc="http://creativecommons.org/ns#" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"',
    ),
    "words that only look dangerous": whole(
        '<title>javascript: &lt;script&gt; url(https://x)</title><g id="fn(x)" aria-label="call(us)" '
        'data-name="C:\\x"/>'
    ),
    "a prefix of its own": '<s:svg xmlns:s="http://www.w3.org/2000/svg"><s:rect/></s:svg>',
    "a reference to nothing": whole('<use href="#gone"/>'),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_svg_is_refused(name, upload_of):
    with pytest.raises(InvalidRequest) as refused:
        read_logo(**upload_of(HOSTILE[name].encode()))
    assert refused.value.errors[0]["pointer"] == "/data"


@pytest.mark.parametrize("name", HARMLESS)
def test_an_svg_that_only_draws_is_taken(name, upload_of):
    logo = read_logo(**upload_of(HARMLESS[name].encode()))
    assert logo.content_type == "image/svg+xml"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-7", "cp037"])
def test_an_svg_in_another_encoding_is_refused(encoding):
    document = f'<?xml version="1.0" encoding="{encoding}"?>' + whole("<title>é+AG8-</title>")
    with pytest.raises(NotALogo):
        check_svg(document.encode(encoding))


def test_an_svg_that_says_another_encoding_than_it_has_is_refused():
    with pytest.raises(NotALogo):
        check_svg(f'<?xml version="1.0" encoding="utf-7"?>{whole("")}'.encode())


def test_an_svg_that_is_not_utf_8_is_refused():
    with pytest.raises(NotALogo, match="not UTF-8"):
        check_svg(whole("<title>é</title>").encode("latin-1"))


@pytest.mark.parametrize(
    "inside",
    [
        "<style>" + "a" * 500_000 + "</style>",
        "<style>" + "url(" * 100_000 + "</style>",
        "<style>.a{fill:url(#a)}" + "{" * 500_000 + "</style>",
        "<style>" + "/*" * 200_000 + "</style>",
        "<style>.a{fill:url(#a)}" + "/*" * 200_000 + "</style>",
        "<style>" + ".a," * 100_000 + ".b{" + "fill:url(#a);" * 10_000 + "}</style>",
        f'<g class="{"a " * 240_000}"/>',
        f'<g fill="{"url(#a)" * 60_000}"/>',
        f'<g style="{" " * 500_000}"/>',
        "".join(f'<g id="i{n}" class="' + "a " * 300 + '">' for n in range(60)) + "</g>" * 60,
        "<title>" + "&amp;" * 100_000 + "</title>",
    ],
    ids=range(11),
)
def test_no_svg_costs_more_than_its_size(inside, slowness):
    """Whatever is made of half a mebibyte, looking through it takes well under what is felt."""
    document = whole(inside).encode()
    started = time.thread_time()
    with suppress(NotALogo):
        check_svg(document)
    assert time.thread_time() - started < 2 * slowness()
