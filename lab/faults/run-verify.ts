import { execFile } from 'node:child_process'
import { programArguments } from '../../scripts/compiled.ts'
import { ROOT } from './lab-process.ts'

/** What `npm run verify` complains of in this database, without rules that begin so; null: nothing. */
export function runVerify(url: string, excused: readonly string[] = []): Promise<string | null> {
  return new Promise(resolve => {
    const args = [...programArguments('server/src/verify/main.ts'), '--database', url]
    execFile(process.execPath, args, { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (!error) return resolve(null)
      const [before, ...broken] = stdout.split('\nBROKEN ')
      const complaints = broken.filter(text => !excused.some(rule => text.startsWith(rule)))
      if (complaints.length > 0) resolve(`BROKEN ${complaints.join('\nBROKEN ')}\n${stderr}`.slice(0, 4_000))
      else resolve(broken.length > 0 ? null : `${before}\n${stderr}`.slice(0, 4_000))
    })
  })
}
