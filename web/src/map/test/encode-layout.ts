import type { LayoutId } from '@voelgoed/core/ids'
import { compileLayout } from '@voelgoed/core/layout/compile'
import type { Layout, LayoutConfig } from '@voelgoed/core/layout/model'
import type { Overlay } from '@voelgoed/core/layout/overlay'
import { encodeLayout as encode } from '@voelgoed/core/map/encode-layout'
import { decodeMap } from '../document/decode.ts'
import type { MapModel } from '../document/model.ts'

const layoutId = '00000000-0000-4000-8000-000000000001' as LayoutId

export function compiled(config: LayoutConfig): Layout {
  const result = compileLayout(layoutId, config)
  if (!result.ok) throw new Error(JSON.stringify(result.problem.slice(0, 3)))
  return result.value
}

/** As the server does it, in pages. */
export function encodeLayout(layout: Layout, overlay?: Overlay, pageSize = 1_000): Uint8Array {
  return encode(layout, { ...(overlay && { overlay }), pageSize })
}

export function modelOf(config: LayoutConfig, overlay?: Overlay): MapModel {
  return decodeMap(encodeLayout(compiled(config), overlay))
}
