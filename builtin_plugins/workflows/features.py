"""What a team can turn off of workflows."""

from guildhall_sdk import Feature

WORKFLOWS = "workflows"
FEATURES = (Feature(WORKFLOWS, "Publish and run workflows, triggers and knowledge extraction"),)
