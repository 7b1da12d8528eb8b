import { ChannelInput } from "@gateway/shared/channels/channel";
import { ChannelEdit } from "@gateway/shared/channels/channel-batch";
import { describe, expect, it } from "vitest";
import { applyEdit, differences } from "./batch-edit.ts";

const channel = ChannelInput.parse({
  type: 1,
  name: "One",
  models: ["a", "b"],
  groups: ["default"],
  tag: "lab",
  priority: 3,
  model_mapping: { a: "+x", b: "y" },
  only_chat: true,
});
const edited = (edit: unknown) => applyEdit(channel, ChannelEdit.parse(edit));

describe("a batch edit of channels", () => {
  it("leaves fields unchanged that the edit does not contain", () => {
    expect(edited({})).toEqual(channel);
    expect(differences(channel, edited({}))).toEqual([]);
  });

  it("adds, removes and replaces list values without duplicates", () => {
    expect(edited({ models: { mode: "add", values: ["b", "c", "c"] } }).models).toEqual(["a", "b", "c"]);
    expect(edited({ models: { mode: "remove", values: ["a", "z"] } }).models).toEqual(["b"]);
    expect(edited({ groups: { mode: "replace", values: ["vip", "vip"] } }).groups).toEqual(["vip"]);
  });

  it("adds, removes and replaces mapping entries by requested name", () => {
    const mapping = (mode: string, values: object) =>
      edited({ model_mapping: { mode, values } }).model_mapping;
    expect(mapping("add", { b: "z", c: "q" })).toEqual({ a: "+x", b: "z", c: "q" });
    expect(mapping("remove", { a: "-" })).toEqual({ b: "y" });
    expect(mapping("replace", {})).toEqual({});
  });

  it("can clear text, set zero and turn a flag off", () => {
    expect(edited({ tag: "", priority: 0, only_chat: false })).toMatchObject({
      tag: "",
      priority: 0,
      only_chat: false,
    });
  });

  it("reports the removed and added values of each field", () => {
    const after = edited({ models: { mode: "replace", values: ["b", "c"] }, priority: 5, tag: "" });
    expect(differences(channel, after)).toEqual([
      { field: "models", removed: ["a"], added: ["c"] },
      { field: "tag", removed: ["lab"], added: [] },
      { field: "priority", removed: ["3"], added: ["5"] },
    ]);
  });
});
