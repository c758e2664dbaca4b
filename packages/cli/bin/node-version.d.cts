/** A sentence for people whose Node can't run Troupe; null where it can. */
export declare const unsupported: (version: string) => string | null
