/** Why a strict provider refuses the parsed body of a request; null if it does not. */
export declare const refusalOf: (kind: "chat" | "messages" | "responses", body: unknown) => string | null
