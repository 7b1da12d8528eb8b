"""Creates redemption codes, redeems one, disables one, and counts what is left."""

from one_hub import administrator, customer, expect

root = administrator()
codes = root.post("/api/redemption/", {"name": "spring", "quota": 900, "count": 3})
expect([len(code) for code in codes], [32, 32, 32])

buyer = customer(root, "buyer")
expect(buyer.post("/api/user/topup", {"key": codes[0]}), 900)
expect(buyer.get("/api/user/self")["quota"], 900)
buyer.refused("POST", "/api/user/topup", json={"key": codes[0]})
buyer.refused("POST", "/api/user/topup", json={"key": "0" * 32})

rows = {row["key"]: row for row in root.pages("/api/redemption/", keyword="spring", order="-redeemed_time")}
expect([code for code in rows if rows[code]["redeemed_time"] > 0], [codes[0]])
expect((rows[codes[0]]["status"], rows[codes[1]]["status"], rows[codes[1]]["redeemed_time"]), (3, 1, 0))

root.put("/api/redemption/?status_only=true", {"id": rows[codes[1]]["id"], "status": 2})
buyer.refused("POST", "/api/user/topup", json={"key": codes[1]})
root.put("/api/redemption/", {**rows[codes[2]], "name": "summer", "quota": 1_200})
expect(buyer.post("/api/user/topup", {"key": codes[2]}), 1_200)
[topup, _] = buyer.get("/api/log/self", log_type=1, size=2)["data"]
expect(topup["quota"], 1_200)
for row in rows.values():
    root.delete(f"/api/redemption/{row['id']}")
print("three codes sold, two redeemed")
