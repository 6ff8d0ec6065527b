import { buildIfNeeded } from './build/programs.mjs'

/** Processes and threads that tests start run what users run: the compiled programs. */
export default async function buildPrograms(): Promise<void> {
  await Promise.all([buildIfNeeded('server'), buildIfNeeded('lab')])
}
