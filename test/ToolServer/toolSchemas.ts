/** What servers send, and what becomes of the property. */
export const properties: ReadonlyArray<readonly [string, unknown, unknown]> = [
  ["an array without items", { type: "array" }, { type: "array", items: {} }],
  [
    "a list of arrays without items",
    { type: "array", items: { type: "array" } },
    { type: "array", items: { type: "array", items: {} } }
  ],
  ["a type list with an array", { type: ["string", "array"] }, { type: ["string", "array"], items: {} }],
  ["a type list", { type: ["string", "null"] }, { type: ["string", "null"] }],
  [
    "an array deep in an alternative",
    { anyOf: [{ type: "object", properties: { more: { type: "array" } } }] },
    { anyOf: [{ type: "object", properties: { more: { type: "array", items: {} } } }] }
  ],
  [
    "a tuple of draft 7",
    { type: "array", items: [{ type: "string" }, { type: "number" }] },
    { type: "array", items: { anyOf: [{ type: "string" }, { type: "number" }] } }
  ],
  [
    "a tuple of 2020-12",
    { type: "array", prefixItems: [{ type: "string" }, { type: "string" }], items: false },
    { type: "array", items: { type: "string" } }
  ],
  ["items that accept anything", { type: "array", items: true }, { type: "array", items: {} }],
  ["an exclusive minimum of draft 4", { type: "number", minimum: 1, exclusiveMinimum: true }, {
    type: "number",
    exclusiveMinimum: 1
  }],
  ["an exclusive maximum of draft 4", { type: "number", maximum: 9, exclusiveMaximum: false }, {
    type: "number",
    maximum: 9
  }],
  ["a schema that is true", true, {}],
  ["a schema that is false", false, {}],
  ["an empty enum", { type: "string", enum: [] }, { type: "string" }],
  ["an enum with null", { type: "string", enum: ["a", null] }, { type: "string", enum: ["a"] }],
  ["an enum without a type", { enum: ["a", "b", "a"] }, { type: "string", enum: ["a", "b"] }],
  ["an enum of numbers", { enum: [1, 2] }, { enum: [1, 2] }],
  ["an enum that is no list", { type: "string", enum: "a" }, { type: "string" }],
  ["a default of another type", { type: "integer", default: "ten" }, { type: "integer" }],
  ["a default of its type", { type: "integer", default: 10 }, { type: "integer", default: 10 }],
  ["a constant", { const: "a" }, { const: "a" }],
  ["a nullable type of OpenAPI", { type: "string", nullable: true }, { type: ["string", "null"] }],
  ["a type of another language", { type: "int" }, { type: "integer" }],
  ["a type in capitals", { type: "STRING" }, { type: "string" }],
  ["a type that there is not", { type: "any" }, {}],
  ["a description that is no text", { type: "string", description: { en: "x" } }, { type: "string" }],
  ["a pattern of another language", { type: "string", pattern: "(?i)^a\\Z" }, { type: "string" }],
  ["a length that is a text", { type: "string", maxLength: "5", minLength: -1 }, { type: "string" }],
  ["a format", { type: "string", format: "date-time" }, { type: "string", format: "date-time" }],
  ["properties that are a list", { type: "object", properties: [] }, { type: "object" }],
  [
    "required of draft 3",
    { type: "object", properties: { b: { type: "string", required: true } } },
    { type: "object", properties: { b: { type: "string" } }, required: ["b"] }
  ],
  [
    "a required property that there is not",
    { type: "object", properties: {}, required: ["b"] },
    { type: "object" }
  ],
  ["a map of texts", { type: "object", additionalProperties: { type: "array" } }, {
    type: "object",
    additionalProperties: { type: "array", items: {} }
  }],
  [
    "the parts of allOf",
    { allOf: [{ type: "object", properties: { b: { type: "string" } } }, { required: ["b"] }], description: "d" },
    { type: "object", description: "d", properties: { b: { type: "string" } }, required: ["b"] }
  ],
  ["a reference by a name of its own", { $ref: "#anchor", description: "d" }, { description: "d" }],
  ["a reference to elsewhere", { $ref: "https://example.org/schema.json", description: "d" }, { description: "d" }],
  ["keywords that providers do not know", { type: "string", "x-order": 1, deprecated: true, examples: ["a"] }, {
    type: "string"
  }]
]
