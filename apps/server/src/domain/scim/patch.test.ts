import { describe, expect, it } from "vitest";
import { parseFilter } from "./filter.ts";
import { parsePatch, patchResource } from "./patch.ts";
import { parsePerson } from "./resource.ts";

const patched = (resource: Record<string, unknown>, ...operations: unknown[]) =>
  patchResource(resource, parsePatch({ Operations: operations }));
const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

describe("a PATCH of SCIM", () => {
  it("sets attributes with a path, in any case, and booleans that Entra ID sends as texts", () => {
    const person = { userName: "kim", active: true };
    expect(patched(person, { op: "Replace", path: "active", value: "False" })).toEqual({
      userName: "kim",
      active: false,
    });
    expect(patched(person, { op: "replace", path: "USERNAME", value: "lee" })).toEqual({
      userName: "lee",
      active: true,
    });
    expect(person).toEqual({ userName: "kim", active: true });
  });

  it("sets attributes without a path, whose names may be paths", () => {
    const value = { active: false, "name.familyName": "Lee", [`${enterprise}:department`]: "R&D" };
    expect(patched({ name: { givenName: "Kim" } }, { op: "replace", value })).toEqual({
      active: false,
      name: { givenName: "Kim", familyName: "Lee" },
      [enterprise]: { department: "R&D" },
    });
  });

  it("changes the entry of a list that a comparison selects, and adds it if there is none", () => {
    const path = 'emails[type eq "work"].value';
    const first = patched({}, { op: "Add", path, value: "a@x.test" });
    expect(first).toEqual({ emails: [{ type: "work", value: "a@x.test" }] });
    expect(patched(first, { op: "replace", path, value: "b@x.test" })).toEqual({
      emails: [{ type: "work", value: "b@x.test" }],
    });
    expect(patched(first, { op: "remove", path: 'emails[type eq "work"]' })).toEqual({ emails: [] });
  });

  it("adds members once, and removes them by comparison, by list, or all", () => {
    const group = { members: [{ value: "1" }, { value: "2" }] };
    const add = { op: "add", path: "members", value: [{ value: "2" }, { value: "3" }] };
    expect(patched(group, add)["members"]).toEqual([{ value: "1" }, { value: "2" }, { value: "3" }]);
    for (const removal of [
      { op: "remove", path: 'members[value eq "1"]' },
      { op: "Remove", path: "members", value: [{ value: "1" }] },
    ])
      expect(patched(group, removal)).toEqual({ members: [{ value: "2" }] });
    expect(patched(group, { op: "remove", path: "members" })).toEqual({});
  });

  it.each([
    { op: "move", path: "active" },
    { op: "replace", path: "emails[type eq work].value", value: "x" },
    { op: "replace", path: 'emails[type co "work"].value', value: "x" },
    { op: "replace", path: 'emails[type eq "\\q"].value', value: "x" },
    { op: "replace", path: "__proto__.polluted", value: true },
    { op: "replace", path: `${enterprise}:constructor`, value: true },
    { op: "replace", value: { "constructor.prototype": {} } },
    { op: "replace", value: "active" },
    { op: "remove" },
  ])("refuses %j", (operation) => {
    expect(() => patched({ active: true }, operation)).toThrow(
      expect.objectContaining({ code: "invalid_request" }) as Error,
    );
  });

  it("has at least one operation, and at most 1,000", () => {
    for (const body of [{}, { Operations: [] }, { Operations: {} }, null, "x"])
      expect(() => parsePatch(body)).toThrow("missing or not valid");
    const one = { op: "add", path: "members", value: [] };
    expect(() => parsePatch({ Operations: Array.from({ length: 1_001 }, () => one) })).toThrow("not valid");
  });
});

describe("a SCIM filter", () => {
  it("is one comparison with a text", () => {
    expect(parseFilter('userName eq "kim@x.test"')).toEqual({ attribute: "userName", value: "kim@x.test" });
    expect(parseFilter('EXTERNALID EQ "a\\"b"')).toEqual({ attribute: "externalId", value: 'a"b' });
    expect(parseFilter("")).toBeUndefined();
  });

  it.each([
    'userName co "k"',
    'userName eq "k" or id eq "1"',
    "userName eq kim",
    'password eq "x"',
    'id eq "\\q"',
  ])("is refused: %s", (text) => expect(() => parseFilter(text)).toThrow("not supported"));
});

describe("a person of SCIM", () => {
  it("keeps other attributes, and never a password", () => {
    const sent = {
      userName: "kim",
      PASSWORD: "x",
      password: "secret",
      title: "Dr",
      id: "7",
      externalId: null,
    };
    expect(parsePerson(sent)).toEqual({
      userName: "kim",
      externalId: null,
      active: true,
      displayName: "",
      attributes: { title: "Dr" },
    });
  });

  it.each([
    [undefined],
    [[]],
    [{}],
    [{ userName: "" }],
    [{ userName: 7 }],
    [{ userName: "k".repeat(256) }],
    [{ userName: "kim", active: "maybe" }],
    [{ userName: "kim", emails: "kim@x.test" }],
    [{ userName: "kim", emails: [{ value: 7 }] }],
    [{ userName: "kim", name: "Kim" }],
    [{ userName: "kim", externalId: {} }],
    [{ userName: "kim", note: "x".repeat(17_000) }],
  ])("is refused: %j", (sent) => {
    expect(() => parsePerson(sent)).toThrow(expect.objectContaining({ code: "invalid_request" }) as Error);
  });
});
