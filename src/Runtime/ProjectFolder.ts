/** The project's folder: two above this module, in the sources, in what is built from them, and in the bundle. */
export const projectFolder = new URL("../../", import.meta.url)
