import { useRef, type ReactNode } from "react";

import { Button, type ButtonProps } from "./Button";

interface FileButtonProps extends Pick<ButtonProps, "kind" | "isPending"> {
  /** The name of the field behind it, for those who do not see the button. */
  label: string;
  /** Which files are offered, as the browser writes it: types or endings. */
  accept: string;
  onFile: (file: File) => void;
  children: ReactNode;
}

/** Lets one choose a file of this device; the same one can be chosen again. */
export function FileButton({ label, accept, onFile, children, ...button }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button {...button} onPress={() => input.current?.click()}>
        {children}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={label}
        accept={accept}
        onChange={(event) => {
          const file = event.target.files?.[0];
          if (file) onFile(file);
          event.target.value = "";
        }}
      />
    </>
  );
}
