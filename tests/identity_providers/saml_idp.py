"""A sign-in server of SAML that is none of ours: `pysaml2`. It runs in a virtual environment of its own.

It says its metadata in one line, and answers each request of one line with a response, signed as it is told.
"""

import json
import sys
from pathlib import Path

from saml2 import BINDING_HTTP_REDIRECT
from saml2.config import IdPConfig
from saml2.metadata import entity_descriptor
from saml2.saml import NAMEID_FORMAT_PERSISTENT, NameID
from saml2.server import Server
from saml2.xmldsig import DIGEST_SHA256, SIG_RSA_SHA256

FOLDER, XMLSEC = Path(sys.argv[1]), sys.argv[2]
ENTITY = "https://id.acme.test/saml"
ADA = {
    "uid": ["ada"],
    "mail": ["ada@acme.test"],
    "displayName": ["Ada Lovelace"],
    "isMemberOf": ["engines"],
}


def config(**more):
    sign_on = {"single_sign_on_service": [(f"{ENTITY}/sso", BINDING_HTTP_REDIRECT)]}
    idp = {"endpoints": sign_on, "name_id_format": [NAMEID_FORMAT_PERSISTENT], "policy": {"default": {}}}
    keys = {"key_file": str(FOLDER / "key.pem"), "cert_file": str(FOLDER / "cert.pem")}
    own = {"entityid": ENTITY, "xmlsec_binary": XMLSEC, "service": {"idp": idp}, **keys}
    return IdPConfig().load({**own, **more})


def answer(asked):
    server = Server(config=config(metadata={"local": [str(FOLDER / "sp.xml")]}))
    request = server.parse_authn_request(asked["request"], BINDING_HTTP_REDIRECT)
    told = server.response_args(request.message)
    return str(
        server.create_authn_response(
            ADA,
            in_response_to=told["in_response_to"],
            destination=told["destination"],
            sp_entity_id=told["sp_entity_id"],
            name_id=NameID(format=NAMEID_FORMAT_PERSISTENT, text="ada-1"),
            authn={"class_ref": "urn:oasis:names:tc:SAML:2.0:ac:classes:Password", "authn_auth": ENTITY},
            sign_assertion="assertion" in asked["sign"],
            sign_response="response" in asked["sign"],
            sign_alg=SIG_RSA_SHA256,
            digest_alg=DIGEST_SHA256,
        )
    )


def say(text):
    sys.stdout.write(f"{json.dumps(text)}\n")
    sys.stdout.flush()


say(str(entity_descriptor(config())))
for line in sys.stdin:
    say(answer(json.loads(line)))
