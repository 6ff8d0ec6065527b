/**
 * The repository, or the folder that a deployment has instead of it. Programs lie as deep in dist/ as this
 * file in kit/.
 */
export const ROOT = new URL('../../', import.meta.url)

/** `npm run build` puts the server's programs there. */
export const PROGRAMS = new URL('dist/server/', ROOT)
