"""Saves all options, changes some, and writes all of them back."""

from one_hub import administrator, customer, expect

root = administrator()
saved = root.get("/api/option/")
expect([option for option in saved if not isinstance(option["value"], str)], [])
before = {option["key"]: option["value"] for option in saved}
expect((before["RegisterEnabled"] in ("true", "false"), float(before["QuotaPerUnit"])), (True, 500_000.0))

for key, value in (
    ("RetryTimes", "7"),
    ("RechargeDiscount", '{"10":0.9}'),
    ("EmailDomainWhitelist", "gmail.com,qq.com"),
    ("DisableChannelKeywords", "first phrase\nsecond phrase"),
    ("SMTPToken", "a secret"),
):
    root.put("/api/option/", {"key": key, "value": value})
after = {option["key"]: option["value"] for option in root.get("/api/option/")}
expect(after["RetryTimes"], "7")
expect(after["RechargeDiscount"], '{"10":0.9}')
expect(after["EmailDomainWhitelist"], "gmail.com,qq.com")
expect("a secret" in after.values(), False)

for option in saved:
    root.put("/api/option/", option)
expect(root.get("/api/option/"), saved)

root.refused("PUT", "/api/option/", json={"key": "NoSuchOption", "value": "1"})
expect(root.call("PUT", "/api/option/", data="no JSON").status_code, 400)
customer(root, "curious").refused("GET", "/api/option/")
print(f"{len(saved)} options written back")
