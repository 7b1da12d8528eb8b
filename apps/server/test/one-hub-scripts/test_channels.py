"""Tests all channels, reads their balances, and disables and deletes those that fail."""

from one_hub import PROVIDER, administrator, expect

root = administrator()
channels = {"works": "sk-good", "refuses": "sk-refused"}
for name, key in channels.items():
    root.post(
        "/api/channel/",
        {
            "type": 8,
            "name": f"check-{name}",
            "key": key,
            "base_url": PROVIDER,
            "models": "check-chat",
            "group": "default",
            "test_model": "check-chat",
        },
    )

for row in list(root.pages("/api/channel/", name="check-")):
    response = root.call("GET", f"/api/channel/test/{row['id']}", params={"model": "check-chat"})
    result = response.json()
    expect((response.status_code, result["success"]), (200, row["name"] == "check-works"))
    assert isinstance(result["time"], (int, float))
    if not result["success"]:
        assert result["message"] != ""
        root.put("/api/channel/", {"id": row["id"], "status": 2})
        continue
    balance = root.call("GET", f"/api/channel/update_balance/{row['id']}").json()
    expect((balance["success"], balance["balance"]), (True, 15))
    expect(root.get(f"/api/channel/{row['id']}")["balance"], 15)

models = root.post("/api/channel/provider_models_list", {"type": 8, "key": "sk-good", "base_url": PROVIDER, "proxy": ""})
expect(models, ["check-chat", "sale-chat"])
expect(root.delete("/api/channel/disabled"), 1)
[left] = root.get("/api/channel/", name="check-")["data"]
expect((left["name"], left["status"], left["test_time"] > 0), ("check-works", 1, True))
root.delete(f"/api/channel/{left['id']}")
print("one channel works, one is deleted")
