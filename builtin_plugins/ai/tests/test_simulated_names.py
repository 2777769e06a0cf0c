"""Names as the simulated model tells them apart, in several languages."""

import pytest

from builtin_plugins.ai.simulated.entities import distinct, find_mentions
from builtin_plugins.ai.simulated.facts import Facts

PEOPLE = [
    "Anna Jansen",
    "Piet de Vries",
    "Jeroen van Dijk",
    "Anna van der Berg",
    "Kees van den Heuvel",
    "Gerard ter Borch",
    "Leonardo di Caprio",
    "Giulia della Rovere",
    "Pedro del Valle",
    "Juan de la Cruz",
    "Rosa dos Santos",
    "Ahmed el Sayed",
    "Omar bin Laith",
    "Ludwig von Mises",
    "Charles du Bois",
    "Fiona McDonald",
    "Angus MacLeod",
    "Conor O'Brien",
    "Jean-Luc Picard",
    "Guðrún Jónsdóttir",
    "Sigurður Einarsson",
    "Wei Chen",
]
ORGANIZATIONS = [
    "Acme Shipping",
    "Acme Shipping B.V.",
    "Jansen Logistics",
    "Vries Transport Ltd",
    "Anna Müller GmbH",
    "Müller GmbH & Co. KG",
    "Smith & Sons",
    "Johnson & Johnson",
    "Piet Bakkerij N.V.",
    "Rossi S.p.A.",
    "Bianchi S.r.l.",
    "García S.L.",
    "Útgerð Norðurlands ehf.",
    "Fiskur hf.",
    "Nordic Trading ApS",
    "Sven Svensson AB",
    "University of Iceland",
    "Bank of Scotland",
]
NOTHING = ["Minutes 7", "Invoice 2024", "Annual Report", "Chapter 3", "Page 12", "Notulen 4", "Factuur 9"]
FRAMES = [
    "We met {} yesterday.",
    "Yesterday {} signed the contract.",
    "The letter names {} twice, and nobody else.",
]


def found(text):
    return {one.name: one.type for one in distinct(find_mentions(Facts(text)))}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", PEOPLE)
def test_a_person_is_one_entity(name, frame):
    assert found(frame.format(name)) == {name: "person"}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", ORGANIZATIONS)
def test_an_organization_is_no_person(name, frame):
    assert found(frame.format(name)) == {name: "organization"}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", NOTHING)
def test_what_a_document_calls_its_parts_is_none(name, frame):
    assert found(frame.format(name)) == {}


@pytest.mark.parametrize("person", ["Piet de Vries", "Anna van der Berg", "Fiona McDonald"])
@pytest.mark.parametrize("organization", ["Acme Shipping", "Rossi S.p.A.", "Fiskur hf."])
def test_both_stand_in_one_sentence(person, organization):
    text = f"{person} works for {organization} in Rotterdam."
    assert found(text) == {person: "person", organization: "organization", "Rotterdam": "place"}


def test_where_somebody_is_from_is_no_part_of_their_name():
    assert found("We met Anna de Madrid, and Piet van Acme Shipping.") == {
        "Anna": "person",
        "Madrid": "place",
        "Piet": "person",
        "Acme Shipping": "organization",
    }


def test_a_name_without_the_given_one_keeps_its_particle():
    assert "De Vries" in found("In the evening De Vries spoke.")
