/**
 * Returns what Node needs to run a program, `main`: of the repository, or of a copy that `buildChanged` made.
 */
export function programArguments(name: string, root?: string): string[]
export function buildIfNeeded(group: 'server' | 'lab'): Promise<void>
/** Builds all programs into another folder; `changed` has the texts of files that are others, by path. */
export function buildChanged(root: string, changed: ReadonlyMap<string, string>): Promise<void>
