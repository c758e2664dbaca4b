/** Version of the service, as in package.json. */
export const serviceVersion = "0.1.0"
