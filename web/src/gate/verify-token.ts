import { type ReadToken, readToken } from '@voelgoed/core/tickets/token'

/** The keys of an organization, which verify its tickets without the server. */
export interface TokenVerifier {
  /** Null: none of the keys has signed it. */
  verify(text: string): Promise<ReadToken | null>
}

const ED25519 = { name: 'Ed25519' }

/** Null: this browser can not verify Ed25519 (Safari before 17, Chrome before 137, Firefox before 129). */
export async function createVerifier(
  keys: readonly { readonly public_key: string }[],
): Promise<TokenVerifier | null> {
  let imported: CryptoKey[]
  try {
    imported = await Promise.all(
      keys.map(({ public_key }) =>
        crypto.subtle.importKey('spki', bytesOf(public_key), ED25519, false, ['verify']),
      ),
    )
  } catch {
    return null
  }
  return {
    async verify(text) {
      const token = readToken(text)
      if (!token) return null
      const { signature, payload } = token
      for (const key of imported) {
        const isGood = await crypto.subtle.verify(
          ED25519,
          key,
          signature as BufferSource,
          payload as BufferSource,
        )
        if (isGood) return token
      }
      return null
    },
  }
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), letter => letter.charCodeAt(0))
}
