export const channel = "CGENERAL"

export const mention = { channel, user: "UADA", text: "<@UTROUPE> compare the offers &amp; tell <@UBOB>" }
