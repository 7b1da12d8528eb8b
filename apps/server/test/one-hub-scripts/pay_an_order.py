"""Orders points, waits for the payment, and credits the buyer once: the script of a shop with Epay."""

import hashlib

from one_hub import OneHub, SITE, administrator, customer, expect, new_session

KEY = "secret of the merchant"

root = administrator()
root.put("/api/option/", {"key": "ServerAddress", "value": SITE})
root.put("/api/option/", {"key": "PaymentUSDRate", "value": "7.3"})
config = f'{{"pay_domain":"https://pay.example","partner_id":"1","key":"{KEY}","pay_type":"alipay"}}'
created = root.call("POST", "/api/payment/", json={"type": "epay", "name": "Pay", "currency": "CNY", "config": config})
expect((created.status_code, created.json()["success"]), (201, True))
[gateway] = [row for row in root.pages("/api/payment/") if row["name"] == "Pay"]
expect(isinstance(gateway["config"], str), True)
root.put("/api/payment/", {"id": gateway["id"], "sort": 2})

buyer = customer(root, "shopper")
[choice] = [row for row in buyer.get("/api/user/payment") if row["name"] == "Pay"]
order = buyer.post("/api/user/order", {"uuid": choice["uuid"], "amount": 10})
form = order["data"]
expect((form["url"], form["method"]), ("https://pay.example/submit.php", "POST"))
expect([name for name, value in form["params"].items() if not isinstance(value, str)], [])
expect(form["params"]["money"], "73.00")


def sign(params):
    signed = "&".join(f"{name}={params[name]}" for name in sorted(params) if params[name] and not name.startswith("sign"))
    return hashlib.md5((signed + KEY).encode()).hexdigest()


expect(form["params"]["sign"], sign(form["params"]))


def is_paid(client: OneHub):
    response = client.call("GET", "/api/user/order/status", params={"trade_no": order["trade_no"]})
    expect(response.status_code, 200)
    return response.json()["success"]


expect(is_paid(buyer), False)
notice = {
    "pid": "1",
    "trade_no": "2026112500001",
    "out_trade_no": form["params"]["out_trade_no"],
    "type": "alipay",
    "name": form["params"]["name"],
    "money": form["params"]["money"],
    "trade_status": "TRADE_SUCCESS",
}
notice |= {"sign": sign(notice), "sign_type": "MD5"}
for _ in range(2):
    answer = new_session().request("GET", form["params"]["notify_url"], params=notice)
    expect((answer.status_code, answer.text), (200, "success"))
expect(is_paid(buyer), True)
expect(buyer.get("/api/user/self")["quota"], 5_000_000)

[paid] = root.get("/api/payment/order", trade_no=order["trade_no"])["data"]
expect((paid["status"], paid["order_amount"], paid["amount"]), ("success", 73, 10))
root.delete(f"/api/payment/{gateway['id']}")
print("one order paid once")
