const quote = 34
const backslash = 92

/** Whether JSON is nested deeper than that, without parsing it: parsers and `jsonb` fail on what is nested too deep. */
export const depthExceeds = (text: string, limit: number): boolean => {
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case quote:
        for (i++; i < text.length && text.charCodeAt(i) !== quote; i++) {
          if (text.charCodeAt(i) === backslash) i++
        }
        break
      case 91:
      case 123:
        if (++depth > limit) return true
        break
      case 93:
      case 125:
        depth--
        break
    }
  }
  return false
}
