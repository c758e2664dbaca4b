export declare const picture: string
export declare const refusal: (importer: string, imported: string) => string | undefined
