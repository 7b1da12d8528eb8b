"""Copies all channels page by page, adds a model to each, and writes the rows back as they were read."""

from one_hub import administrator, expect

root = administrator()
root.post(
    "/api/channel/",
    {
        "type": 1,
        "name": "source",
        "key": "sk-one\nsk-two\nsk-three",
        "base_url": "https://one.example\nhttps://two.example",
        "models": "gpt-4o,gpt-4o-mini",
        "group": "default",
        "tag": "sources",
        "model_mapping": '{"gpt-4o":"gpt-4o-2024-11-20"}',
        "priority": 5,
        "weight": 2,
    },
)
rows = list(root.pages("/api/channel/", size=2, order="id", name="sources"))
expect([row["name"] for row in rows], ["source", "source_2", "source_3"])
expect([row["base_url"] for row in rows], ["https://one.example", "https://two.example", "https://one.example"])

for row in rows:
    copy = {name: value for name, value in row.items() if name != "id"}
    root.post("/api/channel/", {**copy, "name": f"copy-of-{row['name']}", "key": "sk-of-the-copy", "tag": ""})

for row in rows:
    row["models"] = ",".join([*row["models"].split(","), "o3"])
    row["group"] = "default,vip"
    answer = root.put("/api/channel/", row)
    expect((answer["models"], answer["group"]), ("gpt-4o,gpt-4o-mini,o3", "default,vip"))
    root.put("/api/channel/", {"id": row["id"], "status": 2})
    root.put("/api/channel/", {"id": row["id"], "weight": 3})

copies = list(root.pages("/api/channel/", name="copy-of-", order="name"))
expect(
    [(row["models"], row["priority"], row["status"], row["model_mapping"]) for row in copies],
    [("gpt-4o,gpt-4o-mini", 5, 1, '{"gpt-4o":"gpt-4o-2024-11-20"}')] * 3,
)
changed = root.get("/api/channel_tag/sources/list")
expect({(row["status"], row["weight"], row["models"]) for row in changed}, {(2, 3, "gpt-4o,gpt-4o-mini,o3")})

pattern = root.get("/api/channel_tag/sources")
root.put("/api/channel_tag/sources", {**pattern, "models": "o3", "tag": "old-sources"})
expect([row["models"] for row in root.get("/api/channel_tag/old-sources/list")], ["o3"] * 3)
root.put("/api/channel_tag/old-sources/status/enable", None)
root.delete("/api/channel_tag/old-sources")
expect(root.delete("/api/channel/batch", {"ids": [row["id"] for row in copies], "value": ""}), 3)
print("three channels copied, changed and deleted")
