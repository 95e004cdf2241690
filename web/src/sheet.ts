// The sprite sheet as a blob address: hundreds of pictures then share one decoded image, where
// the data address would be parsed again for each of them.
export function sheet_address(data: string): string {
  const [head, body] = data.split(",", 2);
  const bytes = Uint8Array.from(atob(body), (letter) => letter.charCodeAt(0));
  return URL.createObjectURL(new Blob([bytes], { type: head.slice(5).split(";")[0] }));
}
