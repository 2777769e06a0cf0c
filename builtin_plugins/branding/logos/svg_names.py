"""What an SVG may consist of: elements that draw, and what editors leave beside them."""

SVG_SPACE = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
XML = "http://www.w3.org/XML/1998/namespace"

# Missing on purpose: script, foreignObject, a, image, feImage, animations, and all that loads or embeds.
ELEMENTS = frozenset(
    {
        *("svg", "g", "defs", "symbol", "use", "switch", "title", "desc", "metadata", "style"),
        *("path", "rect", "circle", "ellipse", "line", "polyline", "polygon"),
        *("text", "tspan", "textPath"),
        *("linearGradient", "radialGradient", "stop", "pattern", "clipPath", "mask", "marker", "filter"),
        *("feBlend", "feColorMatrix", "feComponentTransfer", "feComposite", "feConvolveMatrix"),
        *("feDiffuseLighting", "feDisplacementMap", "feDistantLight", "feDropShadow", "feFlood"),
        *("feFuncA", "feFuncB", "feFuncG", "feFuncR", "feGaussianBlur", "feMerge", "feMergeNode"),
        *("feMorphology", "feOffset", "fePointLight", "feSpecularLighting", "feSpotLight"),
        *("feTile", "feTurbulence"),
    }
)

# Browsers give these no meaning; editors keep guides, layers and the licence in them.
EDITORS = frozenset(
    {
        "http://www.inkscape.org/namespaces/inkscape",
        "http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd",
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
        "http://creativecommons.org/ns#",
        "http://web.resource.org/cc/",
        "http://purl.org/dc/elements/1.1/",
        "http://www.bohemiancoding.com/sketch/ns",
        "http://www.figma.com/figma/ns",
        "http://www.serif.com/",
        "https://boxy-svg.com",
    }
)

# Attributes that are plain text, where a parenthesis is just one; styles can stand in all others.
TEXT_ATTRIBUTES = frozenset({"id", "class", "role", "lang", "tabindex", "version", "baseProfile"})
