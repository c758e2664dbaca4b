export const message = { message: "Say hello" }
