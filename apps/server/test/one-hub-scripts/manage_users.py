"""Creates users, credits them, changes their group, finds one by its Telegram account, and removes them."""

from one_hub import administrator, expect

root = administrator()
for number in (1, 2, 3):
    root.post(
        "/api/user/",
        {"username": f"customer{number}", "password": "long enough", "display_name": f"Customer {number}", "quota": 500},
    )
message = root.refused("POST", "/api/user/", json={"username": "customer1", "password": "long enough"})
assert message != ""

users = list(root.pages("/api/user/", size=2, keyword="customer", order="id"))
expect([user["username"] for user in users], ["customer1", "customer2", "customer3"])
# The balance of a user is never set at creation, so that the call below does not credit it twice.
expect({user["quota"] for user in users}, {0})

for user in users:
    root.post(f"/api/user/quota/{user['id']}", {"quota": 500, "remark": "first order"})
    root.put("/api/user/", {"id": user["id"], "telegram_id": 1_000 + user["id"]})
root.post(f"/api/user/quota/{users[0]['id']}", {"quota": -200, "remark": "correction"})

first = root.get(f"/api/user/{users[0]['id']}")
expect((first["quota"], first["last_login_time"], first["email"]), (300, 0, ""))
root.put("/api/user/", {**first, "group": "vip", "display_name": "The first"})
first = root.get(f"/api/user/{first['id']}")
expect((first["group"], first["display_name"], first["quota"]), ("vip", "The first", 300))

[found] = [user for user in root.pages("/api/user/") if user["telegram_id"] == 1_000 + users[1]["id"]]
expect(found["username"], "customer2")

root.post("/api/user/manage", {"username": "customer2", "action": "disable"})
expect(root.get(f"/api/user/{users[1]['id']}")["status"], 2)
root.put("/api/user/", {"id": users[1]["id"], "status": 1})
expect(root.get(f"/api/user/{users[1]['id']}")["status"], 1)

managed = list(root.pages("/api/log/", log_type=3, username="customer1"))
expect(len(managed), 2)
for user in users:
    root.delete(f"/api/user/{user['id']}")
expect(root.get("/api/user/", keyword="customer")["total_count"], 0)
print("three users created, credited, changed and deleted")
