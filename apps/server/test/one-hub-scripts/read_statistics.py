"""Reads what a daily report needs: usage of the day, of the users and of the models, the log and its sum."""

import datetime
import time

from one_hub import administrator, customer, expect

root = administrator()
reader = customer(root, "reader")
now = int(time.time())
span = {"start_timestamp": now - 86_400, "end_timestamp": now + 60}

for row in root.get("/api/user/dashboard"):
    expect(
        set(row) >= {"Date", "RequestCount", "Quota", "PromptTokens", "CompletionTokens", "RequestTime", "ModelName"}, True
    )
expect(reader.get("/api/user/dashboard"), [])
for group_type in ("model", "model_type", "channel"):
    period = root.get("/api/analytics/period", **span, group_type=group_type, user_id=0)
    total = sum(row["Quota"] for row in period["channel_statistics"])
    assert total >= 0
    users = sum(row["user_count"] for row in period["user_statistics"])
    assert users >= 2

statistics = root.get("/api/analytics/statistics")
assert statistics["user_statistics"]["total_user"] >= 2
today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
days = {"usernames": "root,reader", "start_time": today, "end_time": today}
report = root.call("GET", "/api/analytics/multi_user_stats", params=days).json()
expect((report["success"], type(report["data"]), type(report["model_usage"])), (True, list, list))
csv = root.call("GET", "/api/analytics/multi_user_stats/export", params=days).text
expect(csv.split("\n")[0], "Username,Request Count,Quota,Prompt Tokens,Completion Tokens,Request Time (ms)")

logs = root.get("/api/log/", **span, page=0, size=0, username="reader", log_type=2)
expect((logs["data"], logs["page"], logs["size"], logs["total_count"]), ([], 1, 10, 0))
expect(root.get("/api/log/stat", **span, channel=999_999)["quota"], 0)
sorted_times = [row["created_at"] for row in root.get("/api/log/", order="created_at", size=50)["data"]]
expect(sorted_times, sorted(sorted_times))
expect(reader.get("/api/user/dashboard/rate")["maxRPM"], 600)
reader.refused("GET", "/api/analytics/statistics")
print("statistics of users, models, channels, and the log")
