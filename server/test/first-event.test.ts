import { spawn, spawnSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { startProcess, temporaryFolder } from '@voelgoed/testing/process'
import { createTestDatabase } from '@voelgoed/testing/test-database'
import { expect, it } from 'vitest'

const hasTools = ['curl', 'bash'].every(tool => spawnSync(tool, ['--version']).status === 0)

it.runIf(hasTools)(
  'every command of docs/guide/first-event.md works, in the order in which it stands there, and answers as shown',
  async () => {
    const guide = await readFile(new URL('../../docs/guide/first-event.md', import.meta.url), 'utf8')
    const shown = blocks(guide, 'text').flatMap(block => block.trimEnd().split('\n'))
    const database = await createTestDatabase()
    const folder = await temporaryFolder()
    const server = startProcess({
      DATABASE_URL: database.url,
      VOELGOED_DEMO: '1',
      VOELGOED_PAYMENTS: 'simulator',
    })
    try {
      const script = blocks(guide, 'sh')
        .join('\n')
        .replace('http://127.0.0.1:3000', await server.ready())
      const { code, output } = await run(atEase(script), folder.path)
      expect(code, output).toBe(0)
      expect(shown.length).toBeGreaterThan(5)
      // The guide leaves nothing behind, and ends with the address of the event's page.
      expect(await readdir(folder.path)).toEqual([])
      expect(output).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/voelgoed\/events\/[0-9a-f-]{36}$/m)
      // Ellipses stand for what the guide leaves out.
      for (const part of shown.flatMap(line => line.split('…'))) {
        expect(output).toContain(part.replace(/[}\s]*$/, ''))
      }
    } finally {
      server.child.kill('SIGTERM')
      await server.exited()
      await database.drop()
      await folder.remove()
    }
  },
)

it.runIf(hasTools)(
  'the commands for the first organization of an installation work as they stand in docs/operate/operating.md',
  async () => {
    const operating = await readFile(new URL('../../docs/operate/operating.md', import.meta.url), 'utf8')
    const section = operating.split(/^## /m).find(text => text.startsWith('The first organization\n'))!
    const database = await createTestDatabase()
    const folder = await temporaryFolder()
    const server = startProcess({ DATABASE_URL: database.url })
    try {
      const address = await server.ready()
      const [, key] = /Platform key \(shown this once\): (\S+)/.exec(server.output.stdout)!
      expect(server.output.stdout).toContain('There is no organization yet.')
      expect(server.output.stdout).toContain('No payments are taken here')
      const script = blocks(section, 'sh').join('\n')
      expect(script).toContain('vgroot_…')
      const { code, output } = await run(
        script.replace('http://127.0.0.1:3000', address).replace('vgroot_…', key!),
        folder.path,
      )
      expect(code, output).toBe(0)
      expect(output).toContain('"role":"admin"')
    } finally {
      server.child.kill('SIGTERM')
      await server.exited()
      await database.drop()
      await folder.remove()
    }
  },
)

function blocks(guide: string, language: string): string[] {
  return [...guide.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'gm'))].map(
    ([, block]) => block!,
  )
}

/** A person who types gives the feed the time to open, and to write before they look at it. */
function atEase(script: string): string {
  return script
    .replace(/^watching=.*$/m, line => `${line}; until grep -q seq $live; do sleep 0.05; done`)
    .replace(/^cat \$live$/m, line => `until grep -q '"held":3' $live; do sleep 0.05; done; ${line}`)
}

async function run(script: string, cwd: string): Promise<{ code: number | null; output: string }> {
  const shell = spawn('bash', ['-euo', 'pipefail'], { cwd, stdio: ['pipe', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.on('data', chunk => {
      output += chunk
    })
  }
  // Wherever it stops, it leaves nothing running.
  shell.stdin.end(`trap 'kill $(jobs -p) 2> /dev/null || true' EXIT\n${script}`)
  const code = await new Promise<number | null>(resolve => shell.on('close', resolve))
  return { code, output }
}
