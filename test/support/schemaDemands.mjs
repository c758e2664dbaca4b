// What the strictest providers demand of the schema of a tool's parameters.
import { Ajv2020 } from "ajv/dist/2020.js"

const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false })

const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value)

const refuse = (message) => {
  throw new Error(message)
}

/** What providers want of a schema beyond its being one. */
const demandSchema = (at, schema, isTop) => {
  if (typeof schema === "boolean") return
  if (!isRecord(schema)) refuse(`${at}: ${JSON.stringify(schema)} is not a schema`)
  const types = [schema.type].flat()
  if (isTop && schema.type !== "object") refuse(`${at}: schema must be of type object`)
  if (isTop && !isRecord(schema.properties)) refuse(`${at}: object schema missing properties`)
  for (const word of ["anyOf", "oneOf", "allOf", "not", "enum"]) {
    if (isTop && word in schema) refuse(`${at}: schema does not support ${word} at the top level`)
  }
  for (const word of ["$schema", "$ref", "$defs", "definitions"]) {
    if (word in schema) refuse(`${at}: Unknown name "${word}": Cannot find field.`)
  }
  if (types.includes("array") && !isRecord(schema.items)) refuse(`${at}: array schema missing items`)
  for (const name of schema.required ?? []) {
    if (!(name in (schema.properties ?? {}))) refuse(`${at}.required: '${name}' is no property`)
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (!/^[a-zA-Z0-9_.-]{1,64}$/.test(name)) {
      refuse(`${at}.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'`)
    }
    demandSchema(`${at}.properties.${name}`, property, false)
  }
  for (const word of ["items", "additionalProperties"]) {
    if (word in schema) demandSchema(`${at}.${word}`, schema[word], false)
  }
  for (const word of ["anyOf", "oneOf", "allOf"]) {
    for (const part of schema[word] ?? []) demandSchema(`${at}.${word}`, part, false)
  }
}

/** Why a tool's parameters are no schema that every provider accepts; null if they are. */
export const schemaRefusal = (schema) => {
  try {
    if (ajv.validateSchema(schema) !== true) refuse(`not of JSON Schema 2020-12: ${ajv.errorsText()}`)
    ajv.compile(schema)
    demandSchema("parameters", schema, true)
    return null
  } catch (cause) {
    return cause.message
  } finally {
    ajv.removeSchema(schema)
  }
}
