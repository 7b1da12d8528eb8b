"""Creates a limited token for a customer, reads its key from the list, makes a call with it, and raises its limit."""

import json
import re
import time

from one_hub import PROVIDER, administrator, customer, expect, new_session, SITE

root = administrator()
root.post(
    "/api/channel/",
    {"type": 8, "name": "for-sale", "key": "sk-good", "base_url": PROVIDER, "models": "sale-chat", "group": "default"},
)
root.post("/api/prices/single", {"model": "sale-chat", "type": "tokens", "channel_type": 8, "input": 1, "output": 2})

seller = customer(root, "seller")
root.post(f"/api/user/quota/{seller.get('/api/user/self')['id']}", {"quota": 1_000_000, "remark": "first order"})

# The body that `curl -d` sends: JSON, announced as a form.
body = json.dumps({"name": "customer-17", "remain_quota": 250_000, "expired_time": -1})
form = {"Content-Type": "application/x-www-form-urlencoded"}
seller.data(seller.call("POST", "/api/token/", data=body, headers=form))
seller.post("/api/token/", {"name": "old-customer-17", "remain_quota": 1})

rows = seller.get("/api/token/", keyword="customer-17", page=1, size=1)["data"]
expect([row["name"] for row in rows], ["customer-17"])
[token] = rows
expect((token["unlimited_quota"], token["remain_quota"], token["expired_time"], token["status"]), (False, 250_000, -1, 1))
expect(re.fullmatch("[A-Za-z0-9_-]{48,59}", token["key"]) is not None, True)
key = "sk-" + token["key"]

headers = {"Authorization": f"Bearer {key}"}
question = {"model": "sale-chat", "messages": [{"role": "user", "content": "hello"}]}
answer = new_session().request("POST", f"{SITE}/v1/chat/completions", json=question, headers=headers)
expect(answer.status_code, 200)
expect(answer.json()["choices"][0]["message"]["content"], "Hello.")

bill = new_session().request("GET", f"{SITE}/v1/dashboard/billing/subscription", headers=headers).json()
expect(bill["hard_limit_usd"], 0.5)

# 100 tokens at 1 and 50 at 2.
for _ in range(100):
    used = seller.get(f"/api/token/{token['id']}")["used_quota"]
    if used > 0:
        break
    time.sleep(0.1)
expect(used, 200)

token = seller.get(f"/api/token/{token['id']}")
expect(token["remain_quota"], 249_800)
token["remain_quota"] += 1_000
seller.put("/api/token/", token)
expect(seller.get(f"/api/token/{token['id']}")["remain_quota"], 250_800)

seller.put("/api/token/?status_only=true", {"id": token["id"], "status": 2})
blocked = new_session().request("POST", f"{SITE}/v1/chat/completions", json=question, headers=headers)
expect(blocked.status_code, 401)
for row in seller.get("/api/token/")["data"]:
    seller.delete(f"/api/token/{row['id']}")
expect(seller.get("/api/token/")["total_count"], 0)
print("one call of 200 points, limit raised, token deleted")
