import { Button } from "./Button";
import { Actions, Modal } from "./Modal";

export interface Question {
  title: string;
  text?: string;
  /** What the button says, such as "Delete note". */
  action: string;
  isDangerous?: boolean;
}

export interface Asked extends Question {
  answer: (isSure: boolean) => void;
}

/** Asks before something is done. */
export default function Confirmation({ asked: { title, text, action, isDangerous, answer }, onDone }: { asked: Asked; onDone: () => void }) {
  const finish = (isSure: boolean) => {
    answer(isSure);
    onDone();
  };
  return (
    <Modal title={title} isOpen onClose={() => finish(false)}>
      {text && <p>{text}</p>}
      <Actions onCancel={() => finish(false)}>
        <Button kind={isDangerous ? "danger" : "primary"} onPress={() => finish(true)}>
          {action}
        </Button>
      </Actions>
    </Modal>
  );
}
