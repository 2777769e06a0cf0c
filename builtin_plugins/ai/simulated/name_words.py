"""Words by which names are told apart: of people, organizations, places, products and events."""

from collections.abc import Mapping

from builtin_plugins.ai.simulated.words import STOP_WORDS


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: With and without their dots.
LEGAL_FORMS = _set(
    """inc ltd limited llc llp plc corp corporation incorporated company co pty gmbh ag kg kgaa ohg ug se ev
    bv b.v nv n.v vof v.o.f cv c.v sa s.a sas sarl s.a.r.l srl s.r.l spa s.p.a sl s.l as aps ab oy oyj
    hf ehf ohf sf slf"""
)
#: At the end of a name, or at its beginning before "of".
ORGANIZATION = LEGAL_FORMS | _set(
    """university institute bank group foundation association agency ministry council guild
    museum society college school hospital committee union press church laboratories labs holding holdings
    partners airlines motors industries shipping logistics trading traders transport freight cargo lines
    consulting consultants services solutions technologies technology systems media energy insurance capital
    ventures international brothers sons works foods pharma pharmaceuticals construction engineering
    publishing publishers records studios hotels steel mining textiles marine brewery bakery bakeries farms
    department team club federation orchestra theatre"""
)
#: Legal forms that are written small.
SMALL_FORMS = _set("hf ehf ohf sf slf s.r.l s.p.a e.v v.o.f gmbh ltd inc")
EVENT = _set(
    "conference summit festival war fair olympics congress workshop expo exhibition symposium ceremony"
)
PRODUCT = _set("engine phone software server suite kit machine pro app platform system tablet printer")
PLACE = _set("city street river lake island islands mountain mountains sea ocean airport harbour port square")
PLACES = _set(
    """london paris berlin amsterdam rotterdam madrid barcelona rome vienna brussels reykjavik reykjavík
    oslo stockholm copenhagen dublin edinburgh lisbon prague warsaw athens geneva zurich hamburg
    munich tokyo beijing shanghai delhi mumbai sydney toronto chicago boston seattle europe africa
    asia america england scotland ireland france germany spain portugal italy netherlands belgium
    iceland norway sweden denmark finland poland austria switzerland greece turkey russia china
    japan india brazil mexico canada australia"""
)
TITLES = _set("mr mrs ms dr prof professor sir lady lord captain president king queen minister")
GIVEN = _set(
    """ada ahmed alan alice anna anne antonio bob carlos carmen charles david elena emma erik eva fatima fiona
    francisco frank george giovanni giulia grace gudrun guðrún hans heinrich henry ingrid jan jane jeroen john
    johanna jón jose josé juan julia karl kees klaus laura leonardo ludwig luis lucia lucía marco maria maría
    mark marta mary michael mohammed omar paul pedro peter pierre piet robert rosa sara sarah sigurður sofia
    sven thomas tom wei wilhelm willem william yuki"""
)
AT_PLACE = _set("in from near to towards via")
OF_ORGANIZATION = _set("at joined for by acquired founded")
OF_PRODUCT = _set("released launched sells product introduced")
JOINING = _set("of the de la van der den von &")
#: The small words within the names of people.
PARTICLES = _set(
    "de del della der den di da do dos das du van vande von vom zu zum el al bin ibn la le ter af av"
)
#: What documents and their parts are called: by themselves or with a number no name of anything.
GENERIC = _set(
    """agenda annex annual appendix article attachment budget chapter clause column contract day draft edition
    figure floor form invoice issue item letter line list meeting memo minutes month monthly no note notes
    number offer order page paragraph part phase plan policy project protocol quarter quarterly quote receipt
    report request revision room row section sheet step summary table task terms ticket title total version
    volume week weekly year yearly rechnung seite kapitel protokoll bericht notulen factuur pagina hoofdstuk
    bladzijde acta factura página capítulo informe reikningur fundargerð kafli skýrsla blaðsíða"""
)
COMMON = STOP_WORDS | _set(
    "extract find list summarise summarize please today yesterday tomorrow translate write answer give text "
    "monday tuesday wednesday thursday friday saturday sunday however although because since while during "
    "eur usd gbp chf isk"
)
ENDINGS: Mapping[str, frozenset[str]] = {
    "organization": ORGANIZATION,
    "event": EVENT,
    "product": PRODUCT,
    "place": PLACE,
}
_PREFIXES = ("Mc", "Mac", "O'", "O’", "D'", "D’")
_OF_FATHERS = ("sson", "dóttir", "dottir", "dotter")


def is_person_word(text: str) -> bool:
    """Tells whether a word may be part of a person's name: Anna, Jean-Luc, McDonald, O'Brien."""
    return all(_is_name(part) for part in text.removesuffix("'s").removesuffix("’s").split("-"))


def is_of_family(text: str) -> bool:
    """Tells whether a word can only be a family's name, or a father's."""
    bare = text.strip(".").removesuffix("'s").removesuffix("’s")
    return bare.endswith(_OF_FATHERS) or any(_is_name(rest) for rest in _without_prefix(bare))


def _is_name(part: str) -> bool:
    bare = part.rstrip(".")
    plain = bare[:1].isupper() and bare[1:].islower()
    return plain or any(rest[:1].isupper() and rest[1:].islower() for rest in _without_prefix(bare))


def _without_prefix(text: str) -> list[str]:
    return [text[len(prefix) :] for prefix in _PREFIXES if text.startswith(prefix)]
