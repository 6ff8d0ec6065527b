import { execFile } from 'node:child_process'
import { programArguments } from '../../scripts/build/programs.mjs'
import { ROOT } from './lab-process.ts'

/**
 * Runs `npm run verify` and returns its complaints about this database, without rules that begin so. Null:
 * there are none.
 */
export function runVerify(url: string, excused: readonly string[] = []): Promise<string | null> {
  return new Promise(resolve => {
    const args = [...programArguments('verify'), '--database', url]
    execFile(process.execPath, args, { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (!error) return resolve(null)
      const [before, ...broken] = stdout.split('\nBROKEN ')
      const complaints = broken.filter(text => !excused.some(rule => text.startsWith(rule)))
      if (complaints.length > 0) resolve(`BROKEN ${complaints.join('\nBROKEN ')}\n${stderr}`.slice(0, 4_000))
      else resolve(broken.length > 0 ? null : `${before}\n${stderr}`.slice(0, 4_000))
    })
  })
}
