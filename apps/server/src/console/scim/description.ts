/** How the SCIM service describes itself (RFC 7643, sections 5 to 7). */
import { groupSchema, userSchema } from "#domain/scim/resource.ts";

const metaOf = (resourceType: string, location: string) => ({ meta: { resourceType, location } });

/** @param base address of the service */
export function serviceProviderConfig(base: string) {
  return {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: 200 },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: false },
    authenticationSchemes: [
      {
        type: "oauthbearertoken",
        name: "Bearer token",
        description: "The SCIM token of the sign-in provider",
        specUri: "https://www.rfc-editor.org/info/rfc6750",
        primary: true,
      },
    ],
    ...metaOf("ServiceProviderConfig", `${base}/ServiceProviderConfig`),
  };
}

export function resourceTypes(base: string) {
  return (
    [
      ["User", "/Users", userSchema],
      ["Group", "/Groups", groupSchema],
    ] as const
  ).map(([id, endpoint, schema]) => ({
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
    id,
    name: id,
    endpoint,
    schema,
    ...metaOf("ResourceType", `${base}/ResourceTypes/${id}`),
  }));
}

type AttributeType = "string" | "boolean" | "complex";
interface Attribute {
  name: string;
  type: AttributeType;
  multiValued: boolean;
  required: boolean;
  caseExact: boolean;
  mutability: "readWrite" | "readOnly";
  returned: "default";
  uniqueness: "none" | "server";
  subAttributes?: Attribute[];
}

function attributeOf(name: string, more: Partial<Attribute> = {}): Attribute {
  return {
    name,
    type: "string",
    multiValued: false,
    required: false,
    caseExact: false,
    mutability: "readWrite",
    returned: "default",
    uniqueness: "none",
    ...more,
  };
}

const complex = (names: string[], multiValued = false): Partial<Attribute> => ({
  type: "complex",
  multiValued,
  subAttributes: names.map((name) => attributeOf(name)),
});

export function schemas(base: string) {
  const described: { id: string; name: string; description: string; attributes: Attribute[] }[] = [
    {
      id: userSchema,
      name: "User",
      description: "A person with an account",
      attributes: [
        attributeOf("userName", { required: true, uniqueness: "server" }),
        attributeOf("externalId", { caseExact: true, uniqueness: "server" }),
        attributeOf("active", { type: "boolean" }),
        attributeOf("displayName"),
        attributeOf("name", complex(["formatted", "familyName", "givenName"])),
        attributeOf("emails", complex(["value", "type", "primary"], true)),
        attributeOf("groups", { ...complex(["value", "display"], true), mutability: "readOnly" }),
      ],
    },
    {
      id: groupSchema,
      name: "Group",
      description: "A group, which the rules of the provider may name",
      attributes: [
        attributeOf("displayName", { required: true, uniqueness: "server" }),
        attributeOf("externalId", { caseExact: true, uniqueness: "server" }),
        attributeOf("members", complex(["value", "display"], true)),
      ],
    },
  ];
  return described.map((schema) => ({
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:Schema"],
    ...schema,
    ...metaOf("Schema", `${base}/Schemas/${schema.id}`),
  }));
}
