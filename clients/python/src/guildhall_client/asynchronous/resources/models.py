"""The rows of models."""

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.types.models import Model, ModelItem, UpdateModelAllowed, UpdateModelPrice


class AsyncModels:
    """Calls of models."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    async def delete(self, name: str) -> None:
        """Delete a model for members; default is then as it was without set-up.

        Needs org:manage.
        """
        await self._api.call("DELETE", f"/api/models/{segment(name)}")

    async def get(self, *, manage: bool | None = None) -> Model:
        """The models that the caller may use; with manage=1 all that are named here, for who names
        them.

        Needs chat:use.
        """
        reply: Model = await self._api.call("GET", "/api/models", query={"manage": manage})
        return reply

    async def update(
        self,
        name: str,
        *,
        allowed: UpdateModelAllowed | Omitted = OMITTED,
        description: str | Omitted = OMITTED,
        executor: str | Omitted = OMITTED,
        label: str | Omitted = OMITTED,
        model: str | Omitted | None = OMITTED,
        price: UpdateModelPrice | Omitted | None = OMITTED,
    ) -> ModelItem:
        """Name a model for members: an executor of one's company with org:manage, any with
        instance:manage.

        `allowed`: Who may use it: by role, or by id; nobody where it is empty. What is left out
            stays
        `executor`: What runs it; a new one needs it
        Needs org:manage.
        """
        reply: ModelItem = await self._api.call(
            "PUT",
            f"/api/models/{segment(name)}",
            fields={
                "allowed": allowed,
                "description": description,
                "executor": executor,
                "label": label,
                "model": model,
                "price": price,
            },
        )
        return reply
