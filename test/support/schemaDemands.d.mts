/** Why a tool's parameters are no schema that every provider accepts; null if they are. */
export declare const schemaRefusal: (schema: unknown) => string | null
