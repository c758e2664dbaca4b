/** The version of the service, its command line and its packages, as in each package.json. */
export const version = "0.2.0"
