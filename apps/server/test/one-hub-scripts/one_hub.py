"""What the scripts of this folder share: a site, a session, and the checks that every script makes.

The scripts use One Hub's API and nothing else: no Api-Version, no Origin, no header of a browser.
HTTP_CLIENT=requests sends with the library of that name, otherwise the standard library is used.
"""

import http.cookiejar
import json
import os
import urllib.error
import urllib.parse
import urllib.request

SITE = os.environ["SITE"]
# A provider that answers OpenAI's requests.
PROVIDER = os.environ["PROVIDER"]
ROOT = {"username": "root", "password": os.environ["ROOT_PASSWORD"]}


class Answer:
    """The part of a response of `requests` that the scripts use."""

    def __init__(self, status_code, headers, body):
        self.status_code = status_code
        self.headers = headers
        self.text = body.decode("utf-8")

    def json(self):
        return json.loads(self.text)


class StandardSession:
    """The part of `requests.Session` that the scripts use, with the standard library."""

    def __init__(self):
        self.headers = {"User-Agent": "python-requests/2.32.3", "Accept": "*/*"}
        self.cookies = http.cookiejar.CookieJar()
        # Addresses of this machine are called directly, whatever proxy the environment names.
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(self.cookies)
        )

    def request(self, method, url, params=None, json=None, data=None, headers=None):
        return self._send(method, url, params, json, data, {**self.headers, **(headers or {})})

    def _send(self, method, url, params, payload, data, headers):
        if params:
            url += ("&" if "?" in url else "?") + urllib.parse.urlencode(params)
        if payload is not None:
            data = json.dumps(payload)
            headers = {**headers, "Content-Type": "application/json"}
        body = data.encode("utf-8") if isinstance(data, str) else data
        request = urllib.request.Request(url, data=body, headers=headers, method=method)
        try:
            with self.opener.open(request, timeout=30) as response:
                return Answer(response.status, response.headers, response.read())
        except urllib.error.HTTPError as error:
            return Answer(error.code, error.headers, error.read())


def new_session():
    if os.environ.get("HTTP_CLIENT") != "requests":
        return StandardSession()
    import requests

    session = requests.Session()
    session.trust_env = False
    return session


class OneHub:
    """A client of the management API, as scripts for One Hub have one."""

    def __init__(self, token=None):
        self.session = new_session()
        if token is not None:
            self.session.headers["Authorization"] = f"Bearer {token}"

    def call(self, method, path, **options):
        return self.session.request(method, SITE + path, **options)

    def get(self, path, **params):
        return self.data(self.call("GET", path, params=params))

    def post(self, path, body):
        return self.data(self.call("POST", path, json=body))

    def put(self, path, body):
        return self.data(self.call("PUT", path, json=body))

    def delete(self, path, body=None):
        return self.data(self.call("DELETE", path, json=body))

    @staticmethod
    def data(response):
        """Returns the data of a success. Every script stops at a refusal."""
        answer = response.json()
        if response.status_code not in (200, 201) or answer["success"] is not True:
            raise SystemExit(f"{response.status_code}: {response.text}")
        return answer.get("data")

    def refused(self, method, path, **options):
        """Returns the message of a refusal, which One Hub sends with the status 200."""
        response = self.call(method, path, **options)
        expect(response.status_code, 200)
        answer = response.json()
        expect(answer["success"], False)
        return answer["message"]

    def pages(self, path, size=100, **params):
        """Yields the rows of all pages of a list."""
        page = 1
        seen = 0
        while True:
            data = self.get(path, page=page, size=size, **params)
            yield from data["data"]
            seen += len(data["data"])
            if seen >= data["total_count"] or not data["data"]:
                return
            page += 1


def sign_in(username, password):
    """Returns a client with the cookie of a session."""
    client = OneHub()
    client.user = client.post("/api/user/login", {"username": username, "password": password})
    return client


def administrator():
    """Returns a client of root with an access token, as most scripts have one."""
    return OneHub(os.environ["ROOT_TOKEN"])


def customer(root, username):
    """Creates an ordinary user. Returns a client with its access token."""
    password = "a long password"
    root.post("/api/user/", {"username": username, "password": password})
    return OneHub(sign_in(username, password).get("/api/user/token"))


def expect(found, wanted):
    if found != wanted:
        raise AssertionError(f"{found!r} instead of {wanted!r}")
