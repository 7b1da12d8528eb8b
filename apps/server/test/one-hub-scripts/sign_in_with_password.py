"""Signs in with a password, works with the cookie, and makes an access token for other scripts."""

from one_hub import ROOT, OneHub, expect, sign_in

root = sign_in(**ROOT)
me = root.get("/api/user/self")
expect((me["id"], me["username"], me["role"]), (root.user["id"], "root", 100))

root.post("/api/token/", {"name": "by session", "remain_quota": 100})
[token] = root.get("/api/token/", keyword="by session")["data"]
root.put("/api/token/", {**token, "name": "renamed by session"})
root.delete(f"/api/token/{token['id']}")

access_token = root.get("/api/user/token")
expect(len(access_token), 32)
for value in (access_token, f"Bearer {access_token}"):
    client = OneHub()
    client.session.headers["Authorization"] = value
    expect(client.get("/api/user/self")["username"], "root")

second = root.get("/api/user/token")
expect(OneHub(access_token).call("GET", "/api/user/self").status_code, 401)
expect(OneHub(second).get("/api/user/self")["username"], "root")

message = OneHub().refused("POST", "/api/user/login", json={**ROOT, "password": "wrong password"})
assert message != ""
root.get("/api/user/logout")
expect(root.call("GET", "/api/user/self").status_code, 401)
print("signed in, two access tokens, signed out")
