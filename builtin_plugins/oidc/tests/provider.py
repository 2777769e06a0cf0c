"""A small provider of OpenID Connect for tests: honest, unless a test tells it otherwise."""

import base64
import hashlib
import hmac
import json
import secrets
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

from joserfc import jws
from joserfc.jwk import RSAKey

from tests.told_server import ToldServer


class Provider(ToldServer):
    """Its clock is the hall's. `person` says who signs in; what it signs passes through `tamper`."""

    def __init__(self):
        self.key = RSAKey.generate_key(2048, {"kid": "first", "use": "sig"})
        self.other_key = RSAKey.generate_key(2048, {"kid": "first", "use": "sig"})
        super().__init__()
        self.renew()

    def renew(self):
        """Forgets what a test told it."""
        self.reset()
        self.now_s = lambda: 0
        self.person = {"sub": "sub-1", "email": "ada@acme.test", "email_verified": True, "name": "Ada"}
        self.user_info = None
        self.keys = [self.key]
        self.secret = "the secret"
        self.codes = {}
        self.forgetful = False
        self.metadata = {}
        self.header, self.tamper, self.sign = {}, {}, self._signed
        self.paths = []

    @property
    def issuer(self):
        return self.url

    def choose(self, request):
        line, headers, body = self.requests[-1]
        path = urlsplit(line.split(" ")[1]).path
        self.paths.append(path)
        if path == "/authorize":  # a browser of its own
            location = self.authorize(line.split(" ")[1])
            self.headers, self.status, self.body = {"Location": location}, 303, b""
            return
        self.headers, self.status = {"Content-Type": "application/json"}, 200
        answer = {
            "/.well-known/openid-configuration": self._discovery,
            "/keys": self._keys,
            "/token": lambda: self._token(headers, dict(parse_qsl(body.decode()))),
            "/me": lambda: self.user_info,
        }.get(path)
        self.body = json.dumps(answer() if answer else {"error": "nothing here"}).encode()

    def _discovery(self):
        endpoints = {"authorization": "authorize", "token": "token", "userinfo": "me", "end_session": "end"}
        found = {f"{name}_endpoint": f"{self.url}/{path}" for name, path in endpoints.items()}
        if self.user_info is None:
            del found["userinfo_endpoint"]
        return {"issuer": self.issuer, "jwks_uri": f"{self.url}/keys", **found, **self.metadata}

    def _keys(self):
        return {"keys": [key.as_dict(private=False) for key in self.keys]}

    def authorize(self, location):
        """Signs the person in whom the test says, and returns the address that the browser is sent to."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(location).query).items()}
        assert asked["response_type"] == "code" and asked["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe(16)
        self.codes[code] = {**asked, "person": dict(self.person)}
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def _token(self, headers, form):
        asked = self.codes.get(form.get("code")) if self.forgetful else self.codes.pop(form.get("code"), None)
        pair = base64.b64decode(headers.get("authorization", "Basic ").removeprefix("Basic ")).decode()
        if pair != f"guildhall:{self.secret.replace(' ', '+')}":
            self.status = 401
            return {"error": "invalid_client"}
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        if asked is None or challenge.rstrip(b"=").decode() != asked["code_challenge"]:
            self.status = 400
            return {"error": "invalid_grant"}
        return {"access_token": "access", "token_type": "Bearer", "id_token": self.id_token(asked)}

    def id_token(self, asked):
        claims = {
            "iss": self.issuer,
            "aud": "guildhall",
            "iat": self.now_s(),
            "exp": self.now_s() + 300,
            "nonce": asked["nonce"],
            "sid": "session-1",
            **asked["person"],
            **self.tamper,
        }
        return self.sign({name: value for name, value in claims.items() if value is not None})

    def logout_token(self, **changed):
        event = {"http://schemas.openid.net/event/backchannel-logout": {}}
        claims = {
            "iss": self.issuer,
            "aud": "guildhall",
            "iat": self.now_s(),
            "jti": secrets.token_urlsafe(8),
            "events": event,
            "sub": "sub-1",
            **changed,
        }
        return self._signed({name: value for name, value in claims.items() if value is not None})

    def _signed(self, claims):
        header = {"alg": "RS256", "kid": self.keys[0].kid, **self.header}
        return jws.serialize_compact(header, json.dumps(claims), self.keys[0], ["RS256"])

    def signed_by_other(self, claims):
        """Signs with a key of somebody else under the id of its own."""
        header = {"alg": "RS256", "kid": "first"}
        return jws.serialize_compact(header, json.dumps(claims), self.other_key, ["RS256"])

    def unsigned(self, claims):
        return f"{_part({'alg': 'none', 'kid': 'first'})}.{_part(claims)}."

    def signed_by_public_key(self, claims):
        """Signs as if the public key, which everybody has, were a shared secret."""
        signed = f"{_part({'alg': 'HS256', 'kid': 'first'})}.{_part(claims)}"
        mac = hmac.digest(self.key.as_pem(private=False), signed.encode(), hashlib.sha256)
        return f"{signed}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"


def _part(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()
